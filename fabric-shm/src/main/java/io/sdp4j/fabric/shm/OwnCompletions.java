package io.sdp4j.fabric.shm;

import io.sdp4j.fabric.Completion;
import io.sdp4j.fabric.WcStatus;
import java.util.Arrays;

/**
 * The completions of one queue pair that do not come from a descriptor of the peer: signalled
 * sends, RDMA operations that have ended, and the error of the queue pair itself; reported in this
 * order.
 *
 * <p>States: open; <em>failed</em> with a status that this side found; <em>over</em> once the end
 * was reported, either as an error or as the peer's disconnect.
 *
 * <p>Guarded by the queue pair's lock; any thread may read {@code present} and {@code over}.
 */
final class OwnCompletions {
    private static final int[] NONE = {};
    private static final int FIRST_SIGNALLED = 8;

    /** Whether {@link #poll} should be asked. */
    volatile boolean present;

    /** Whether the end was reported; nothing is received any more. */
    volatile boolean over;

    /** Why the queue pair has failed, or null. */
    WcStatus failure;

    private int[] signalled = NONE;
    private int signalledCount;

    /** Makes {@link #poll} look, because there may be something to report. */
    void changed() {
        present = true;
    }

    /** Notes a signalled send, which has been posted. */
    void sent(int slot) {
        if (signalledCount == signalled.length) {
            signalled = Arrays.copyOf(signalled, Math.max(FIRST_SIGNALLED, signalledCount * 2));
        }
        signalled[signalledCount++] = slot;
        present = true;
    }

    /** Goes to error; false if the queue pair had failed or ended before. */
    boolean fail(WcStatus status) {
        present = true;
        if (failure != null || over) {
            return false;
        }
        failure = status;
        return true;
    }

    /** Flushes the requests that have not ended, because the end is being reported. */
    void end(RdmaEngine rdma) {
        over = true;
        if (rdma != null) {
            rdma.flush();
        }
        present = more(rdma);
    }

    /**
     * Whether there is an error or an ended RDMA operation, which must be reported before anything
     * later.
     */
    boolean urgent(RdmaEngine rdma) {
        if (failure == null && (rdma == null || !rdma.reports())) {
            return false;
        }
        present = true;
        return true;
    }

    boolean poll(Completion into, RdmaEngine rdma) {
        if (signalledCount > 0) {
            into.opcode = Completion.SEND;
            into.status = WcStatus.SUCCESS;
            into.slot = signalled[0];
            into.count = 1;
            into.signalled = true;
            System.arraycopy(signalled, 1, signalled, 0, --signalledCount);
        } else if (rdma != null && rdma.report(into)) {
            // filled
        } else if (failure != null && !over) {
            into.opcode = Completion.ERROR;
            into.status = failure;
            end(rdma);
            return true;
        } else {
            present = false;
            return false;
        }
        present = more(rdma);
        return true;
    }

    private boolean more(RdmaEngine rdma) {
        return signalledCount > 0 || (failure != null && !over) || (rdma != null && rdma.reports());
    }
}
