package io.sdp4j.fabric.shm;

import io.sdp4j.fabric.FabricException;
import io.sdp4j.fabric.FabricException.Cause;
import io.sdp4j.linux.Linux;
import io.sdp4j.linux.MappedMemory;
import io.sdp4j.linux.Mapping;
import java.lang.foreign.MemorySegment;

/**
 * The mapped memory of one connection: a memfd, which has no name in a file system, cannot change
 * its size, and uses a page of memory only once the page is touched.
 *
 * @param memory the whole memory
 */
record Segment(MappedMemory memory) {
    /** Makes a memfd and returns its descriptor. */
    static int create(long lenBytes) throws FabricException {
        int fd = Mapping.create("sdp4j", lenBytes);
        if (fd < 0) {
            throw new FabricException(
                    Cause.RESOURCES,
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
            throw new FabricException(Cause.RESOURCES, "cannot map " + lenBytes + " bytes");
        }
        return new Segment(MappedMemory.of(m));
    }

    /** Maps a descriptor that came from a peer, if {@link Mapping#fault} finds no fault in it. */
    static Segment mapReceived(int fd, long lenBytes) throws FabricException {
        if (fd < 0) {
            throw new FabricException(
                    Cause.PROTOCOL,
                    "no descriptor of the connection's memory arrived: the peer sent none, or this"
                            + " process may not have another one (ulimit -n)");
        }
        String fault = Mapping.fault(fd, lenBytes);
        if (fault != null) {
            throw new FabricException(Cause.PROTOCOL, "the peer's memory is refused: " + fault);
        }
        return map(fd, lenBytes);
    }

    /** Unmaps the memory. No access may run or follow. */
    void release() {
        Mapping.unmap(memory.segment());
    }
}
