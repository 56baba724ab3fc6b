package io.sdp4j.sample.memory;

import io.sdp4j.fabric.Fabric;
import io.sdp4j.fabric.FabricFactory;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;

/** Found by the service loader. Nothing is opened before a connection or listener needs it. */
public final class MemoryFabricFactory implements FabricFactory {
    /** For the service loader, when the switch starts. */
    public MemoryFabricFactory() {}

    @Override
    public String name() {
        return MemoryFabric.NAME;
    }

    @Override
    public boolean reaches(InetAddress remote) {
        try {
            return remote.isLoopbackAddress() || NetworkInterface.getByInetAddress(remote) != null;
        } catch (SocketException e) {
            return false;
        }
    }

    @Override
    public Fabric open() {
        return new MemoryFabric();
    }
}
