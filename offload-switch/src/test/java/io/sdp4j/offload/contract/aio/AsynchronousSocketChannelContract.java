package io.sdp4j.offload.contract.aio;

/**
 * Behaviour of asynchronous socket channels, as an abstract suite that the JDK's own provider and
 * ours inherit. A difference from the JDK's is a bug or a line in DIFFERENCES.md.
 *
 * <p>A subclass says which provider it is about; both ends of every connection are in this JVM.
 */
public abstract class AsynchronousSocketChannelContract
        implements AsyncConnectContract,
                AsyncReadWriteContract,
                AsyncTimeoutContract,
                AsyncCloseContract,
                AsyncGroupContract,
                AsyncOptionContract,
                AsyncReleaseContract,
                AsyncRaceContract {}
