package io.sdp4j.fabric.shm;

import io.sdp4j.fabric.FabricException;
import io.sdp4j.linux.Linux;
import io.sdp4j.linux.MappedMemory;
import io.sdp4j.linux.Mapping;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.security.SecureRandom;
import java.util.HexFormat;

/**
 * Makes and maps the memory of a connection, of either kind.
 *
 * <p>A memfd has no name, cannot change its size, and takes a page only when that is touched. A
 * file has a name that cannot be guessed, only until both sides have mapped it, and is written in
 * full at once, because a page that cannot be had later would be a fault in the middle of a copy.
 */
final class Memory {
    private static final int FILL_BYTES = 64 << 10;

    private Memory() {}

    /** Apart, because a memfd needs no name, and the JDK's providers take 20 ms to be found. */
    private static final class Names {
        static final SecureRandom RANDOM = new SecureRandom();
    }

    /** A new memfd; its descriptor. */
    static int create(long lenBytes) throws FabricException {
        int fd = Mapping.create("sdp4j", lenBytes);
        if (fd < 0) {
            throw new FabricException(
                    FabricException.Cause.RESOURCES,
                    "cannot make "
                            + lenBytes
                            + " bytes of shared memory (memfd_create, ftruncate): "
                            + Linux.text(fd));
        }
        return fd;
    }

    static Segment map(int fd, long lenBytes) throws FabricException {
        MemorySegment m = Mapping.map(fd, lenBytes);
        if (m == null) {
            throw new FabricException(
                    FabricException.Cause.RESOURCES, "cannot map " + lenBytes + " bytes");
        }
        return new Segment(MappedMemory.of(m), () -> Mapping.unmap(m));
    }

    /** Maps a descriptor that came from a peer, if its size is certain. */
    static Segment mapReceived(int fd, long lenBytes) throws FabricException {
        if (fd < 0) {
            throw new FabricException(
                    FabricException.Cause.PROTOCOL,
                    "no descriptor of the connection's memory arrived: the peer sent none, or this"
                            + " process may not have another one (ulimit -n)");
        }
        String fault = Mapping.fault(fd, lenBytes);
        if (fault != null) {
            throw new FabricException(
                    FabricException.Cause.PROTOCOL, "the peer's memory is refused: " + fault);
        }
        return map(fd, lenBytes);
    }

    static String newName() {
        byte[] b = new byte[16];
        Names.RANDOM.nextBytes(b);
        return HexFormat.of().formatHex(b);
    }

    /** Name of the file of memory {@code name}. */
    static String fileName(String name) {
        return Rendezvous.SEGMENT_PREFIX + name;
    }

    /** A new file, filled with zeros, mapped. */
    static Segment createFile(PrivateDirectory in, String name, long lenBytes)
            throws FabricException {
        try (FileChannel channel = in.create(name)) {
            boolean made = false;
            try {
                ByteBuffer zeros = ByteBuffer.allocateDirect(FILL_BYTES);
                for (long at = 0; at < lenBytes; ) {
                    zeros.clear().limit((int) Math.min(FILL_BYTES, lenBytes - at));
                    at += channel.write(zeros, at);
                }
                Segment s = map(channel, lenBytes);
                made = true;
                return s;
            } finally {
                if (!made) {
                    in.remove(name);
                }
            }
        } catch (IOException e) {
            throw new FabricException(
                    FabricException.Cause.RESOURCES,
                    "cannot make " + in.path().resolve(name) + ": " + e,
                    e);
        }
    }

    /** Maps a file that a peer made, if it is what was agreed. */
    static Segment openFile(PrivateDirectory in, String name, long lenBytes)
            throws FabricException {
        PrivateDirectory.Entry entry = in.look(name);
        if (entry == null || !entry.regularFile() || !entry.own() || !entry.ownersOnly()) {
            throw new FabricException(
                    FabricException.Cause.PROTOCOL,
                    "the peer's memory is refused: " + in.path().resolve(name) + " is " + entry);
        }
        try (FileChannel channel = in.open(name)) {
            return map(channel, lenBytes);
        } catch (IOException e) {
            throw new FabricException(
                    FabricException.Cause.PROTOCOL,
                    "cannot map " + in.path().resolve(name) + ": " + e,
                    e);
        }
    }

    private static Segment map(FileChannel channel, long lenBytes) throws IOException {
        Arena arena = Arena.ofShared();
        try {
            if (channel.size() != lenBytes) {
                throw new IOException("size " + channel.size() + " is not " + lenBytes);
            }
            MemorySegment m = channel.map(FileChannel.MapMode.READ_WRITE, 0, lenBytes, arena);
            return new Segment(MappedMemory.of(m), arena::close);
        } catch (IOException | RuntimeException e) {
            arena.close();
            throw e;
        }
    }
}
