SELECT id, name, room FROM staff ORDER BY id
