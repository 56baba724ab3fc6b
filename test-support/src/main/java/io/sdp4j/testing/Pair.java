package io.sdp4j.testing;

import java.io.Closeable;
import java.io.IOException;

/**
 * Both ends of one connection, and the listener that it was accepted from; null where a test has
 * none.
 *
 * @param <L> listener
 * @param <C> end
 */
public record Pair<L extends Closeable, C extends Closeable>(L listener, C client, C server)
        implements AutoCloseable {
    @Override
    public void close() throws IOException {
        close(client);
        close(server);
        close(listener);
    }

    private static void close(Closeable end) throws IOException {
        if (end != null) {
            end.close();
        }
    }
}
