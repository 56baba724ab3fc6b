package io.sdp4j.fabric.verbs;

import io.sdp4j.fabric.FabricException;
import io.sdp4j.linux.EpollLoop;
import io.sdp4j.linux.EventLoop;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * {@link CqResources} of one device that connections have given back and others may take, last in,
 * first out: at most {@value #MAX_IDLE}, and none that was unused for two sweeps. Set-up path only;
 * guarded by this object's monitor.
 */
final class CqResourcesPool {
    static final int MAX_IDLE = 16;

    private static final long SWEEP_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final VerbsDevice device;
    private final EpollLoop loop;
    private final ArrayDeque<CqResources> idle = new ArrayDeque<>();
    private int sweep;
    private boolean sweeping;
    private boolean closed;

    CqResourcesPool(VerbsDevice device, EpollLoop loop) {
        this.device = device;
        this.loop = loop;
    }

    /** Returns resources for this many completions, with empty queues. */
    CqResources take(int receives, int sends) throws FabricException {
        synchronized (this) {
            for (Iterator<CqResources> i = idle.iterator(); i.hasNext(); ) {
                CqResources resources = i.next();
                if (resources.receives == receives && resources.sends == sends) {
                    i.remove();
                    return resources;
                }
            }
        }
        return new CqResources(device, loop, receives, sends);
    }

    /** Takes back resources whose queues are empty. */
    void giveBack(CqResources resources) {
        boolean kept;
        synchronized (this) {
            kept = !closed && idle.size() < MAX_IDLE && willSweep();
            if (kept) {
                resources.sweep = sweep;
                idle.push(resources);
            }
        }
        if (!kept) {
            resources.close();
        }
    }

    /** Lets a sweep follow; false if there is no memory for its timer. */
    private boolean willSweep() {
        assert Thread.holdsLock(this);
        if (!sweeping) {
            try {
                loop.schedule((EventLoop.Repeatable) this::sweep, SWEEP_NANOS);
            } catch (OutOfMemoryError e) {
                return false;
            }
            sweeping = true;
        }
        return true;
    }

    /** Closes resources that were given back before the last sweep. */
    private void sweep() {
        List<CqResources> old = new ArrayList<>(MAX_IDLE);
        try {
            synchronized (this) {
                for (Iterator<CqResources> i = idle.iterator(); i.hasNext(); ) {
                    CqResources resources = i.next();
                    if (resources.sweep != sweep) {
                        i.remove();
                        old.add(resources);
                    }
                }
                sweep++;
                sweeping = !idle.isEmpty();
                if (sweeping) {
                    loop.schedule((EventLoop.Repeatable) this::sweep, SWEEP_NANOS);
                }
            }
        } finally {
            old.forEach(CqResources::close);
        }
    }

    /** Closes all resources, and from now on all that come back. Event thread. */
    void close() {
        List<CqResources> all;
        synchronized (this) {
            closed = true;
            all = List.copyOf(idle);
            idle.clear();
        }
        all.forEach(CqResources::close);
    }
}
