package io.sdp4j.offload.contract.nio;

/**
 * Everything that {@code java.nio} stream sockets and their selectors promise or are known for, as
 * one suite that the JDK's provider and ours inherit; numbers are those of the list of behaviours
 * that a replacement must reproduce. A difference from the kernel is a bug or documented.
 */
public abstract class NioContract
        implements SocketChannelContract,
                ServerSocketChannelContract,
                SelectorContract,
                ProgramContract {}
