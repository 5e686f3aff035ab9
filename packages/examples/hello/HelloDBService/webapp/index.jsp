<%@ page contentType="text/html; charset=UTF-8" pageEncoding="UTF-8" import="java.sql.*, java.util.Properties" %>
<%!
  static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;");
  }
%>
<!DOCTYPE html>
<title>Hello</title>
<h1><%= application.getInitParameter("place") %></h1>
<ul>
<%
  Properties login = new Properties();
  login.put("user", "hello");
  login.put("password", "hello");
  String address = "jdbc:mariadb://" + application.getInitParameter("place");
  try (
    Connection connection = new org.mariadb.jdbc.Driver().connect(address, login);
    Statement statement = connection.createStatement();
    ResultSet rows = statement.executeQuery("SELECT text FROM messages ORDER BY id")
  ) {
    while (rows.next()) out.println("<li>" + escaped(rows.getString(1)) + "</li>");
  }
%>
</ul>
