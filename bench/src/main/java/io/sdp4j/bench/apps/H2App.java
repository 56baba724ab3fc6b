package io.sdp4j.bench.apps;

import io.sdp4j.bench.net.Place;
import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.h2.tools.Server;

/** The database H2 as a server, in memory: reads of one row by its key, over JDBC. */
final class H2App implements App {
    @Override
    public int serve() throws IOException, SQLException {
        System.setProperty("h2.bindAddress", Place.here().getHostAddress());
        return Server.createTcpServer("-tcpPort", "0", "-ifNotExists").start().getPort();
    }

    @Override
    public void load(int port, int bytes, int atOnce, Tally tally)
            throws IOException, SQLException {
        String url = "jdbc:h2:tcp://" + Place.here().getHostAddress() + ":" + port + "/mem:bench";
        Connection first = DriverManager.getConnection(url);
        fill(first, bytes);
        begin(first, bytes, tally);
        for (int i = 1; i < atOnce; i++) {
            begin(DriverManager.getConnection(url), bytes, tally);
        }
    }

    private static void fill(Connection connection, int bytes) throws SQLException {
        try (Statement create = connection.createStatement()) {
            create.execute("create table blocks(id int primary key, bytes varbinary)");
        }
        try (PreparedStatement insert =
                connection.prepareStatement("insert into blocks values (1, ?)")) {
            insert.setBytes(1, new byte[bytes]);
            insert.executeUpdate();
        }
    }

    /** Reads on a connection, as long as the JVM lives. */
    private static void begin(Connection connection, int bytes, Tally tally) throws SQLException {
        PreparedStatement read =
                connection.prepareStatement("select bytes from blocks where id = ?");
        tally.repeat(() -> read(read, bytes));
    }

    private static void read(PreparedStatement read, int bytes) throws SQLException {
        read.setInt(1, 1);
        try (ResultSet rows = read.executeQuery()) {
            if (!rows.next() || rows.getBytes(1).length != bytes) {
                throw new SQLException("not the row that was written");
            }
        }
    }
}
