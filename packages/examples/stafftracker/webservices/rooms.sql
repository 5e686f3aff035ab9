SELECT room, zipcode FROM rooms ORDER BY room
