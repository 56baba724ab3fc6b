package io.sdp4j.linux;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** An event loop for tasks and timers only, for where native access is denied. */
class ParkingLoop extends LoopBase {
    private final Semaphore wake = new Semaphore(0);

    ParkingLoop(String name, Consumer<Throwable> sink) {
        super(name, sink);
    }

    @Override
    void sleepAndDispatch(long nanos) {
        try {
            if (wake.tryAcquire(nanos, TimeUnit.NANOSECONDS)) {
                int _ = wake.drainPermits();
            }
        } catch (InterruptedException e) {
            // the loop looks for work and sleeps again
        }
    }

    @Override
    void wakeUp() {
        wake.release();
    }
}
