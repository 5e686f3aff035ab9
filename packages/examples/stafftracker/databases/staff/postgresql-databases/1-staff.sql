CREATE TABLE staff (
  id integer PRIMARY KEY,
  name text NOT NULL,
  room text NOT NULL
);
INSERT INTO staff VALUES
  (1, 'Sanne Bakker', 'B1'),
  (2, 'Jörg Weiß', 'A2'),
  (3, 'Chidi Okafor', 'A1');
