package io.sdp4j.fabric.shm;

import io.sdp4j.fabric.Completion;
import io.sdp4j.fabric.WcStatus;
import java.util.Arrays;

/**
 * The completions of one queue pair that no descriptor of the peer stands for: signalled sends,
 * RDMA operations that have ended, and the error of the queue pair itself; reported in this order.
 *
 * <p>States: open; <em>failed</em> with a status, by our own finding; <em>over</em>, when the end
 * was reported, by an error here or by the peer's last word.
 *
 * <p>Guarded by the queue pair's lock; {@code present} and {@code over} may be looked at by any
 * thread.
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

    /** Something may have to be reported: {@link #poll} shall look. */
    void changed() {
        present = true;
    }

    /** A send that wants to be reported is on its way. */
    void sent(int slot) {
        if (signalledCount == signalled.length) {
            signalled = Arrays.copyOf(signalled, Math.max(FIRST_SIGNALLED, signalledCount * 2));
        }
        signalled[signalledCount++] = slot;
        present = true;
    }

    /** Goes to error; false if that, or the end, had happened before. */
    boolean fail(WcStatus status) {
        present = true;
        if (failure != null || over) {
            return false;
        }
        failure = status;
        return true;
    }

    /** The end is being reported: requests that have not ended are flushed. */
    void end(RdmaEngine rdma) {
        over = true;
        if (rdma != null) {
            rdma.flush();
        }
        present = more(rdma);
    }

    /** Whether an error or an ended RDMA operation is there, which goes before what may follow. */
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
