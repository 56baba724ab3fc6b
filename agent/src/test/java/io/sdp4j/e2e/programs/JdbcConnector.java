package io.sdp4j.e2e.programs;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;

/**
 * Opens and closes one JDBC connection for each line of standard input: {@code URL USER}.
 *
 * <p>Prints how many microseconds opening took.
 */
public final class JdbcConnector {
    private JdbcConnector() {}

    /** Connects once a line. */
    public static void main(String[] args) throws IOException, SQLException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, UTF_8));
        while (in.readLine() != null) {
            long start = System.nanoTime();
            try (Connection connection = DriverManager.getConnection(args[0], args[1], "")) {
                long nanos = System.nanoTime() - start;
                System.out.println(connection.isClosed() ? "closed" : nanos / 1000);
            }
        }
    }
}
