SELECT zipcode, street, city FROM zipcodes ORDER BY zipcode
