package io.sdp4j.offload.contract;

import io.sdp4j.offload.jdk.KernelSocketSource;
import io.sdp4j.policy.Policy;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The contract over a provider in a JVM that grants no access to its internals. */
class PublicKernelTest extends SwitchedTest {
    PublicKernelTest() {
        super(Policy.allowAll(), List.of(new LoopbackProvider()), KernelSocketSource.PUBLIC);
    }

    @Override
    public boolean offloads() {
        return true;
    }

    /** The listener is a channel's, whose descriptor only the JDK's internals know. */
    @Override
    public boolean showsDescriptors() {
        return false;
    }

    /** A channel's socket has no IP_TOS to offer. */
    @Override
    public Set<String> listenerOptions() {
        Set<String> options = new HashSet<>(super.listenerOptions());
        options.remove("IP_TOS");
        return options;
    }
}
