package sun.nio.ch;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.SocketChannel;

/**
 * A listener in a JVM whose switch has not started. Bytes of accepted connections are counted if
 * the connections may move.
 */
final class EarlyListening implements EarlyAccept {
    /** The answer of {@code place} for a listener whose connections may move. */
    private static final int ACCEPTS = 7;

    /** The answer if they may move only once the switch has started, and are not counted before. */
    private static final int ACCEPTS_UNCOUNTED = 8;

    private final EarlyConnection.Rules rules;
    private volatile int where; // set once

    EarlyListening(EarlyConnection.Rules rules) {
        this.rules = rules;
    }

    private record GoOn(
            EarlyConnection.Rules rules, ListeningChannel channel, SocketAddress asked, int backlog)
            implements Runnable {
        @Override
        public void run() {
            try {
                rules.starter().accept(new Object[] {channel, asked, backlog});
            } finally {
                channel.settle();
            }
        }
    }

    @Override
    public boolean mayMove(SocketAddress asked) {
        InetSocketAddress at =
                asked == null ? new InetSocketAddress(0) : (InetSocketAddress) asked;
        where = rules.place().applyAsInt(at, null);
        return where == ACCEPTS || where == ACCEPTS_UNCOUNTED;
    }

    @Override
    public void listens(ListeningChannel channel, SocketAddress asked, int backlog) {
        rules.starter()
                .accept(new Object[] {channel, new GoOn(rules, channel, asked, backlog)});
    }

    @Override
    public SocketChannel accepted(ListeningChannel by, SocketChannel byTcp) throws IOException {
        long _ = rules.accepted().incrementAndGet(where);
        return where == ACCEPTS && withinHost(byTcp)
                ? EarlyConnection.accepted(rules, by, byTcp)
                : byTcp;
    }

    /** Whether both ends are on this host, decided as the switch does. */
    private static boolean withinHost(SocketChannel byTcp) throws IOException {
        InetAddress there = ((InetSocketAddress) byTcp.getRemoteAddress()).getAddress();
        return there.isLoopbackAddress()
                || there.equals(((InetSocketAddress) byTcp.getLocalAddress()).getAddress());
    }
}
