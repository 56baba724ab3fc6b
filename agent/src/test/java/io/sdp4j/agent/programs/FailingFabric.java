package io.sdp4j.agent.programs;

import io.sdp4j.fabric.Fabric;
import io.sdp4j.fabric.FabricException;
import io.sdp4j.fabric.FabricFactory;
import java.net.InetAddress;

/** A plug-in whose fabric cannot be used. */
public final class FailingFabric implements FabricFactory {
    public FailingFabric() {}

    @Override
    public String name() {
        return "failing";
    }

    @Override
    public boolean reaches(InetAddress remote) {
        return true;
    }

    @Override
    public Fabric open() throws FabricException {
        throw new FabricException(FabricException.Cause.UNAVAILABLE, "there is no card");
    }
}
