package io.sdp4j.samples;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.Reader;
import java.io.StringReader;
import java.io.StringWriter;
import java.math.BigDecimal;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.SplittableRandom;

/**
 * Works with a database through whatever JDBC driver the class path has: creates a table, inserts
 * rows with large objects in batches, reads everything back, queries by key, rolls back.
 *
 * <p>Options: {@code --url}, {@code --user}, {@code --password}, {@code --rows} (default 10000),
 * {@code --clob} and {@code --blob} the column types (default CLOB and BLOB).
 *
 * <p>What it prints depends on the data alone.
 */
public final class JdbcWorkload {
    private static final int BATCH = 500;

    /** One row in so many has objects too large to travel inside the row. */
    private static final int LARGE_EVERY = 100;

    private static final int LARGE_BYTES = 40_000;

    private JdbcWorkload() {}

    /** Runs the work and prints its results. */
    public static void main(String[] args)
            throws SQLException, IOException, NoSuchAlgorithmException {
        Options options = Options.parse(args, "url", "user", "password", "rows", "clob", "blob");
        String url = options.text("url", "");
        String user = options.text("user", "");
        String password = options.text("password", "");
        int rows = options.number("rows", 10_000);
        try (Connection connection = DriverManager.getConnection(url, user, password)) {
            try (Statement statement = connection.createStatement()) {
                statement.execute("DROP TABLE IF EXISTS ledger");
                statement.execute(
                        "CREATE TABLE ledger(id INT PRIMARY KEY, name VARCHAR(100),"
                                + " amount DECIMAL(12, 2), note "
                                + options.text("clob", "CLOB")
                                + ", photo "
                                + options.text("blob", "BLOB")
                                + ")");
            }
            connection.setAutoCommit(false);
            insert(connection, rows);
            connection.commit();
            summarise(connection);
            readBack(connection, rows);
            pick(connection, rows);
            rollBack(connection);
        }
    }

    private static void insert(Connection connection, int rows) throws SQLException {
        SplittableRandom random = new SplittableRandom(rows);
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT INTO ledger VALUES (?, ?, ?, ?, ?)")) {
            int inserted = 0;
            for (int id = 0; id < rows; id++) {
                int length = id % LARGE_EVERY == 0 ? LARGE_BYTES : random.nextInt(200);
                byte[] photo = new byte[length];
                random.nextBytes(photo);
                String note = HexFormat.of().formatHex(photo, 0, length / 2) + " \u00e4\u20ac";
                insert.setInt(1, id);
                insert.setString(2, "row " + id);
                insert.setBigDecimal(3, BigDecimal.valueOf(random.nextInt(1_000_000), 2));
                insert.setCharacterStream(4, new StringReader(note), note.length());
                insert.setBinaryStream(5, new ByteArrayInputStream(photo), photo.length);
                insert.addBatch();
                if ((id + 1) % BATCH == 0 || id + 1 == rows) {
                    inserted += Arrays.stream(insert.executeBatch()).map(n -> n < 0 ? 1 : n).sum();
                }
            }
            System.out.println("inserted=" + inserted);
        }
    }

    private static void summarise(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet result =
                        statement.executeQuery("SELECT COUNT(*), SUM(amount) FROM ledger")) {
            result.next();
            System.out.println("count=" + result.getLong(1));
            System.out.println("sum=" + result.getBigDecimal(2));
        }
    }

    private static void readBack(Connection connection, int rows)
            throws SQLException, IOException, NoSuchAlgorithmException {
        MessageDigest notes = MessageDigest.getInstance("SHA-256");
        MessageDigest photos = MessageDigest.getInstance("SHA-256");
        int n = 0;
        try (Statement statement = connection.createStatement()) {
            statement.setFetchSize(BATCH);
            try (ResultSet result =
                    statement.executeQuery("SELECT id, note, photo FROM ledger ORDER BY id")) {
                for (; result.next(); n++) {
                    if (result.getInt(1) != n) {
                        throw new SQLException("row " + n + " is missing");
                    }
                    StringWriter note = new StringWriter();
                    try (Reader reader = result.getCharacterStream(2)) {
                        reader.transferTo(note);
                    }
                    notes.update(note.toString().getBytes(UTF_8));
                    try (InputStream photo = result.getBinaryStream(3)) {
                        photos.update(photo.readAllBytes());
                    }
                }
            }
        }
        System.out.println("read=" + n);
        System.out.println("complete=" + (n == rows));
        System.out.println("notes=" + HexFormat.of().formatHex(notes.digest()));
        System.out.println("photos=" + HexFormat.of().formatHex(photos.digest()));
    }

    private static void pick(Connection connection, int rows) throws SQLException {
        BigDecimal total = BigDecimal.ZERO;
        try (PreparedStatement select =
                connection.prepareStatement("SELECT amount FROM ledger WHERE id = ?")) {
            for (int i = 0; i < 500; i++) {
                select.setInt(1, (int) (i * 7919L % rows));
                try (ResultSet result = select.executeQuery()) {
                    result.next();
                    total = total.add(result.getBigDecimal(1));
                }
            }
        }
        System.out.println("picked=" + total);
    }

    private static void rollBack(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            System.out.println("deleted=" + statement.executeUpdate("DELETE FROM ledger"));
            connection.rollback();
            try (ResultSet result = statement.executeQuery("SELECT COUNT(*) FROM ledger")) {
                result.next();
                System.out.println("after_rollback=" + result.getLong(1));
            }
        }
    }
}
