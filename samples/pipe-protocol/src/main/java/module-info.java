/** A plug-in with a protocol that is not SDP. */
module io.sdp4j.sample.pipe {
    requires io.sdp4j.offload;

    provides io.sdp4j.offload.spi.OffloadProvider with
            io.sdp4j.sample.pipe.PipeProvider;
}
