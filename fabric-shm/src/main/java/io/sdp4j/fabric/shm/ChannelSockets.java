package io.sdp4j.fabric.shm;

import io.sdp4j.fabric.FabricException;
import io.sdp4j.linux.SelectorLoop;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;

/** Sockets as JDK channels. */
final class ChannelSockets implements SocketKind {
    private static final int BACKLOG = 1024;
    private static final int BATCH = 64;
    private final SelectorLoop loop;
    private final long ownUid;

    ChannelSockets(SelectorLoop loop, long ownUid) {
        this.loop = loop;
        this.ownUid = ownUid;
    }

    @Override
    public PeerSocket connect(Path path, Runnable ifDead) throws FabricException {
        if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            return null;
        }
        SocketChannel channel = null;
        try {
            channel = loop.provider().openSocketChannel(StandardProtocolFamily.UNIX);
            channel.configureBlocking(false);
            if (channel.connect(UnixDomainSocketAddress.of(path))) {
                PeerSocket link = new ChannelPeerSocket(channel, loop, ownUid);
                channel = null;
                return link;
            }
            throw new FabricException(
                    FabricException.Cause.BUSY, "the backlog of " + path + " is full");
        } catch (FabricException e) {
            throw e;
        } catch (IOException e) {
            if (refused(e)) {
                ifDead.run();
            }
            return null;
        } catch (UnsupportedOperationException e) {
            return null;
        } finally {
            close(channel);
        }
    }

    private static boolean refused(IOException e) {
        return String.valueOf(e.getMessage()).contains("refused");
    }

    /** Only by knocking: a listener that lives sees a connection that ends at once. */
    @Override
    public boolean isDead(Path path) {
        SocketChannel channel = null;
        try {
            channel = loop.provider().openSocketChannel(StandardProtocolFamily.UNIX);
            channel.configureBlocking(false);
            channel.connect(UnixDomainSocketAddress.of(path));
            return false;
        } catch (IOException e) {
            return refused(e);
        } catch (UnsupportedOperationException e) {
            return false;
        } finally {
            close(channel);
        }
    }

    @Override
    public Listening listen(Path path, Taker taker) throws IOException {
        ServerSocketChannel server =
                loop.provider().openServerSocketChannel(StandardProtocolFamily.UNIX);
        boolean bound = false;
        try {
            server.configureBlocking(false);
            server.bind(UnixDomainSocketAddress.of(path), BACKLOG);
            bound = true;
        } finally {
            if (!bound) {
                server.close();
            }
        }
        watch(server, taker);
        return new Listening() {
            @Override
            public void resume() {
                if (server.isOpen()) {
                    watch(server, taker);
                }
            }

            @Override
            public void close() {
                ChannelSockets.close(server);
                loop.flushClosed();
            }
        };
    }

    private void watch(ServerSocketChannel server, Taker taker) {
        loop.watch(server, SelectionKey.OP_ACCEPT, () -> takeSome(server, taker));
    }

    private void takeSome(ServerSocketChannel server, Taker taker) {
        for (int n = 0; n < BATCH; n++) {
            if (!taker.mayCome()) {
                loop.watch(server, 0, () -> {});
                return;
            }
            SocketChannel channel = null;
            try {
                channel = server.accept();
                if (channel != null) {
                    channel.configureBlocking(false);
                }
            } catch (IOException e) {
                // closed, or no descriptors left; the selector asks again
                close(channel);
                channel = null;
            }
            if (channel == null) {
                taker.noneCame();
                return;
            }
            taker.take(new ChannelPeerSocket(channel, loop, ownUid));
        }
    }

    private static void close(java.io.Closeable channel) {
        if (channel != null) {
            try {
                channel.close();
            } catch (IOException e) {
                // nothing to be done
            }
        }
    }
}
