package io.sdp4j.offload.contract;

/**
 * Everything that {@code java.net} sockets promise or are known for, as one suite that the kernel's
 * sockets and ours inherit. A difference from the kernel is a bug or a line in DIFFERENCES.md.
 *
 * <p>A subclass says how its sockets are made; both ends of every connection are in this JVM.
 */
public abstract class SocketContract
        implements ConnectContract,
                ReadContract,
                UrgentContract,
                CloseContract,
                OptionContract,
                DescriptorContract,
                AcceptContract,
                TlsContract,
                VirtualThreadContract {}
