package io.sdp4j.fabric.shm;

import io.sdp4j.fabric.FabricException;
import io.sdp4j.fabric.FabricException.Cause;
import io.sdp4j.linux.LocalRoute;
import io.sdp4j.linux.PortOwner;
import io.sdp4j.linux.TcpSocketFd;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Checks that each side of a connection holds the TCP socket whose address it names, in the network
 * namespace of this process. The check is made for every user, also for root.
 *
 * <p>A server must have among its descriptors, which are looked up in {@code /proc}, the very
 * listener that a SYN would find, or the other end of a connection that moves; nothing is sent to
 * it before that is proved. A client passes its socket along with the Hello, and the kernel says
 * which socket it is. Both addresses must be this host's, and a loopback address may connect with
 * loopback addresses only. Thread-safe.
 */
final class Proof {
    private static final int MOST_KNOWN = 4096;

    /** Descriptors of a process that are looked at; a stranger may have half a million. */
    private static final int MOST_LOOKED_AT = 16_384;

    /**
     * A process and an inode. Has its own equality, because the generated one loads eight classes
     * at its first use.
     */
    private record Held(int pid, long inode) {
        @Override
        public boolean equals(Object o) {
            return o instanceof Held other && pid == other.pid && inode == other.inode;
        }

        @Override
        public int hashCode() {
            return 31 * pid + Long.hashCode(inode);
        }
    }

    /** The descriptor number under which a listener was found; a hint. Guarded by itself. */
    private final Map<Held, String> known =
            new LinkedHashMap<>() {
                private static final long serialVersionUID = 1L;

                @Override
                protected boolean removeEldestEntry(Map.Entry<Held, String> eldest) {
                    return size() > MOST_KNOWN;
                }
            };

    /**
     * Returns why process {@code pid} must not serve a port, or null if it may.
     *
     * @param listener the inode of the port's listener; 0 if there is none (no socket has inode 0)
     */
    String refuseServer(int pid, long listener) {
        return refuse(pid, listener, 0);
    }

    /**
     * Returns why process {@code pid} must not get this side's end of the TCP connection from
     * {@code own} to {@code remote}, or null if it may. The process must have the other end, or the
     * listener that accepts it. A process that gets an end can read and write there, and could
     * present that end as its own.
     *
     * @param listener the inode of the listener at {@code remote}, or 0, as for {@link
     *     #refuseServer}
     */
    String refuseMover(int pid, long listener, InetSocketAddress own, InetSocketAddress remote) {
        return refuse(pid, listener, PortOwner.connected(remote, own));
    }

    /**
     * @param end the inode of another socket that proves the same, or 0
     */
    private String refuse(int pid, long listener, long end) {
        if (pid <= 0) {
            return "the process behind the rendezvous is in another PID namespace, so nothing shows"
                    + " that it has the TCP port";
        }
        if (listener == 0 && end == 0) {
            return "no process listens on the TCP port in this network namespace";
        }
        Held held = new Held(pid, listener);
        String listenerLink = link(listener);
        String endLink = link(end);
        String number;
        synchronized (known) {
            number = known.get(held);
        }
        Path all = Path.of("/proc", String.valueOf(pid), "fd");
        if (number != null && target(all.resolve(number)).equals(listenerLink)) {
            return null;
        }
        try (DirectoryStream<Path> descriptors = Files.newDirectoryStream(all)) {
            int looked = 0;
            for (Path d : descriptors) {
                if (looked++ == MOST_LOOKED_AT) {
                    return "process " + pid + " has too many descriptors to be looked through";
                }
                String target = target(d);
                if (target.equals(listenerLink)) {
                    synchronized (known) {
                        known.put(held, d.getFileName().toString());
                    }
                    return null;
                }
                if (target.equals(endLink)) {
                    return null;
                }
            }
        } catch (IOException | java.nio.file.DirectoryIteratorException e) {
            return "nothing shows that process " + pid + " has the TCP port: " + e;
        }
        return "process " + pid + " behind the rendezvous does not have the TCP port";
    }

    private static String link(long inode) {
        return "socket:[" + inode + "]";
    }

    private static String target(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString();
        } catch (IOException e) {
            return ""; // closed meanwhile
        }
    }

    /**
     * Returns a descriptor to pass to a server as proof of {@code own}; the caller closes it.
     *
     * @throws FabricException if no socket can prove {@code own} to the server
     */
    int show(InetSocketAddress own, InetSocketAddress wanted) throws FabricException {
        String fault = unfit(own, wanted);
        if (fault != null) {
            throw new FabricException(Cause.REFUSED, fault);
        }
        int fd = TcpSocketFd.duplicate(own);
        if (fd < 0) {
            throw new FabricException(
                    Cause.RESOURCES, "no socket of this process is bound to " + own);
        }
        return fd;
    }

    /**
     * Returns why {@code fd}, which a client passed, does not prove that the client is {@code own}
     * and may connect to the listener at {@code wanted}; null if it does.
     *
     * @param fd -1 = nothing was passed
     */
    String refuseClient(int fd, InetSocketAddress own, InetSocketAddress wanted) {
        String fault = TcpSocketFd.fault(fd, own);
        if (fault == null) {
            fault = unfit(own, wanted);
        }
        return fault != null ? fault : foreign(wanted);
    }

    /**
     * Returns a duplicate of {@code socket}, this side's end of a TCP connection, to be passed to
     * the peer.
     *
     * @throws FabricException if {@code socket} is not the connection from {@code own} to {@code
     *     remote} any more; the attempt is then given up
     */
    int showEnd(int socket, InetSocketAddress own, InetSocketAddress remote)
            throws FabricException {
        int fd = TcpSocketFd.duplicate(socket, own, remote);
        if (fd < 0) {
            throw new FabricException(
                    Cause.ABANDONED, "the TCP connection from " + own + " to " + remote + " ended");
        }
        return fd;
    }

    /**
     * Returns why {@code other} is not proved to be the other end of {@code mine}, or null if it
     * is. In one network namespace and on one device the kernel has only one connection from {@code
     * remote} to {@code own}. So the holder of that end is the peer, and the proof needs no byte of
     * the stream.
     *
     * @param mine this side's end, from {@code own} to {@code remote}
     * @param other what came from the peer; -1 = nothing
     */
    String refuseEnd(int mine, int other, InetSocketAddress own, InetSocketAddress remote) {
        if (own.equals(remote)) {
            return own + " is connected to itself";
        }
        String fault = TcpSocketFd.connectionFault(other, remote, own);
        if (fault == null && !TcpSocketFd.sameDevice(mine, other)) {
            fault = "its socket is bound to another network device";
        }
        return fault;
    }

    /**
     * Whether the connection of which {@code mine} is an end has ended, at this end or at the end
     * that the peer passed. If so, the peer has done nothing wrong.
     *
     * @param other what came from the peer; -1 = nothing
     */
    boolean ended(int mine, int other, InetSocketAddress own, InetSocketAddress remote) {
        return TcpSocketFd.connectionFault(mine, own, remote) != null
                || TcpSocketFd.unconnected(other, remote);
    }

    private static String unfit(InetSocketAddress own, InetSocketAddress wanted) {
        if (own.getAddress().isAnyLocalAddress()) {
            return own + " is the wildcard address"; // by the kernel's routes it is this host's
        }
        if (own.getAddress().isLoopbackAddress() != wanted.getAddress().isLoopbackAddress()) {
            return own + " and " + wanted + ": loopback connects with loopback only";
        }
        return foreign(own);
    }

    private static String foreign(InetSocketAddress address) {
        return LocalRoute.leadsTo(address.getAddress())
                ? null
                : address + " is not an address of this host";
    }
}
