-- The web application logs in as this user, who may only read. So this password, which is in packages, opens nothing else.
CREATE USER IF NOT EXISTS 'hello'@'%' IDENTIFIED BY 'hello';
GRANT SELECT ON HelloMySQLDB.* TO 'hello'@'%';
