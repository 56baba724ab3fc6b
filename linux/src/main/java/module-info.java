/** Basis of the fabrics: system calls of Linux, the event loop, and ways to wait. */
@SuppressWarnings("module") // those that may use it are built after it
module io.sdp4j.linux {
    exports io.sdp4j.linux to
            io.sdp4j,
            io.sdp4j.fabric.shm,
            io.sdp4j.fabric.verbs;
}
