/** Rule files and settings: which connection goes where. Knows no other module of sdp4j. */
@SuppressWarnings("module") // those that may use it are built after it
module io.sdp4j.policy {
    exports io.sdp4j.policy to
            io.sdp4j,
            io.sdp4j.agent,
            io.sdp4j.fabric.shm,
            io.sdp4j.fabric.verbs,
            io.sdp4j.offload;
}
