INSERT INTO messages (text) VALUES ('Hello'), ('Grüezi');
