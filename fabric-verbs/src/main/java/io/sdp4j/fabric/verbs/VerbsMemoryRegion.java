package io.sdp4j.fabric.verbs;

import io.sdp4j.fabric.MemoryRegion;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;

/**
 * Registered memory of one PD. The device may access the memory while the region is open, so the
 * owner keeps the memory until the region is closed.
 */
class VerbsMemoryRegion implements MemoryRegion {
    private final VerbsDevice device;
    private final long address;
    private final long lenBytes;
    final int lkey;
    private final int rkey;

    /**
     * Null, like {@link #use}, once the region has ended, so that it does not keep the memory from
     * being collected.
     */
    private volatile MemorySegment memory;

    private volatile RegistrationHandle use;

    /**
     * @param onEnd told, on any thread, when the region cannot be opened again
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
    public MemorySegment memory() {
        return memory;
    }

    @Override
    public int rkey() {
        return rkey;
    }

    /** Whether a queue pair of {@code user} may use this part of the region. */
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

    /** Ends the region, open or closed. */
    void end() {
        RegistrationHandle u = use;
        if (u != null) {
            u.end();
        }
    }
}
