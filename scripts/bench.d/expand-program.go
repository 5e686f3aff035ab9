// Parses and expands a template with the engine of Go: expand TEMPLATE. Prints the seconds that it took.
package main

import (
	"bytes"
	"fmt"
	"os"
	"text/template"
	"time"
)

func main() {
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		panic(err)
	}
	context := map[string]interface{}{"args": map[string]interface{}{
		"tag":   map[string]interface{}{"name": "value"},
		"isOn":  true,
		"zones": []interface{}{"north", "south"},
	}}
	began := time.Now()
	parsed := template.Must(template.New("bench").Option("missingkey=error").Parse(string(text)))
	var output bytes.Buffer
	if err := parsed.Execute(&output, context); err != nil {
		panic(err)
	}
	fmt.Println(time.Since(began).Seconds())
}
