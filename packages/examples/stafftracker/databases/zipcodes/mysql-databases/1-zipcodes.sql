CREATE TABLE zipcodes (
  zipcode VARCHAR(10) PRIMARY KEY,
  street VARCHAR(100) NOT NULL,
  city VARCHAR(100) NOT NULL
);
INSERT INTO zipcodes VALUES
  ('1098 XG', 'Science Park', 'Amsterdam'),
  ('2628 CD', 'Mekelweg', 'Delft');
