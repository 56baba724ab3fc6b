package io.sdp4j.fabric.shm;

import io.sdp4j.fabric.FabricException;
import io.sdp4j.linux.EventLoop;

/** The other JVM of {@link ShmDeniedTest}. */
public final class Denied {
    private Denied() {}

    public static void main(String[] args) {
        try {
            ShmFabric.open(
                            ShmConfig.defaults(),
                            EventLoop.start("loop", t -> System.err.println(t)))
                    .close();
            System.out.println("opened");
        } catch (FabricException e) {
            System.out.println(e.why() + " " + e.getMessage());
        }
        Diagnosis.of(ShmConfig.defaults());
    }
}
