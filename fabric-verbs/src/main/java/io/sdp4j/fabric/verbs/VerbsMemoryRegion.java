package io.sdp4j.fabric.verbs;

import io.sdp4j.fabric.MemoryRegion;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;

/**
 * Registered memory of one protection domain. The bytes are reached by the device while it is open,
 * so its owner keeps the memory until it is closed.
 */
class VerbsMemoryRegion implements MemoryRegion {
    private final VerbsDevice device;
    private final long address;
    private final long lenBytes;
    final int lkey;
    private final int rkey;

    /** These two are null when it has ended for good, so that it keeps no memory from going. */
    private volatile MemorySegment memory;

    private volatile RegistrationHandle use;

    /**
     * @param onEnd told when it cannot be opened again, in any thread
     */
    VerbsMemoryRegion(
            VerbsDevice device,
            MemorySegment memory,
            RegistrationHandle use,
            Consumer<VerbsMemoryRegion> onEnd) {
        this.device = device;
        this.memory = memory;
        this.use = use;
        address = memory.address();
        lenBytes = memory.byteSize();
        lkey = Ibv.lkey(use.registration());
        rkey = Ibv.rkey(use.registration());
        use.whenOver(
                () -> {
                    this.use = null;
                    this.memory = null;
                    onEnd.accept(this);
                });
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
    public MemorySegment memory() {
        return memory;
    }

    @Override
    public int rkey() {
        return rkey;
    }

    /** Whether a queue pair of {@code user} may use so much of it. */
    boolean covers(VerbsDevice user, long offset, long len) {
        RegistrationHandle u = use;
        return device == user
                && u != null
                && u.inUse()
                && offset >= 0
                && len >= 0
                && offset <= lenBytes - len;
    }

    @Override
    public boolean reopen() {
        RegistrationHandle u = use;
        return u != null && u.comeBack();
    }

    @Override
    public void close() {
        RegistrationHandle u = use;
        if (u != null && u.inUse() && !u.leave()) {
            u.end();
        }
    }

    @Override
    public void discard() {
        RegistrationHandle u = use;
        if (u != null) {
            u.discard();
        }
    }

    /** Ends it, open or closed. */
    void end() {
        RegistrationHandle u = use;
        if (u != null) {
            u.end();
        }
    }
}
