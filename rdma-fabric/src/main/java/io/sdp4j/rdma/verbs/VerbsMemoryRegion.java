package io.sdp4j.rdma.verbs;

import io.sdp4j.rdma.MemoryRegion;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * Registered memory of one protection domain. The bytes are reached by the device while it is open,
 * so its owner keeps the memory until it is closed.
 */
final class VerbsMemoryRegion implements MemoryRegion {
    private final VerbsDevice device;
    private final long address;
    private final long lenBytes;
    private final int lkey;
    private final int rkey;
    private final Runnable release;
    private final Consumer<VerbsMemoryRegion> onClose;
    private final AtomicBoolean closed = new AtomicBoolean();

    /**
     * @param release ends, or gives back, the registration
     * @param onClose told of the end
     */
    VerbsMemoryRegion(
            VerbsDevice device,
            long address,
            long lenBytes,
            int lkey,
            int rkey,
            Runnable release,
            Consumer<VerbsMemoryRegion> onClose) {
        this.device = device;
        this.address = address;
        this.lenBytes = lenBytes;
        this.lkey = lkey;
        this.rkey = rkey;
        this.release = release;
        this.onClose = onClose;
    }

    @Override
    public long address() {
        return address;
    }

    @Override
    public long lenBytes() {
        return lenBytes;
    }

    @Override
    public int rkey() {
        return rkey;
    }

    int lkey() {
        return lkey;
    }

    /** Whether a queue pair of {@code user} may use so much of it. */
    boolean covers(VerbsDevice user, long offset, long len) {
        return device == user
                && !closed.get()
                && offset >= 0
                && len >= 0
                && offset <= lenBytes - len;
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            release.run();
            onClose.accept(this);
        }
    }
}
