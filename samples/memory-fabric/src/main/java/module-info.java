/** A plug-in with a fabric for SDP. */
module io.sdp4j.sample.memory {
    requires io.sdp4j.fabric;

    provides io.sdp4j.fabric.FabricFactory with
            io.sdp4j.sample.memory.MemoryFabricFactory;
}
