/** Wires the modules of sdp4j into a JVM, reports what they did, and is the command line. */
module io.sdp4j.agent {
    requires info.picocli;
    requires io.sdp4j;
    requires io.sdp4j.offload;
    requires io.sdp4j.policy;
    requires io.sdp4j.fabric.shm;
    requires io.sdp4j.resolve;
    requires io.sdp4j.wire;
    requires org.slf4j;
    // optional: an application image may lack it, and then it has no compiler to ask
    requires static java.management;
    // for the doctor, which asks other JVMs
    requires static jdk.attach;

    // for the shim in the unnamed module, the only one but plug-ins to see this layer, and for JMX
    exports io.sdp4j.agent;
    exports io.sdp4j.agent.cli;

    opens io.sdp4j.agent.cli to
            info.picocli;

    // of plug-ins
    uses io.sdp4j.fabric.FabricFactory;
    uses io.sdp4j.offload.spi.OffloadProvider;

    provides org.slf4j.spi.SLF4JServiceProvider with
            io.sdp4j.agent.log.LogProvider;
}
