package io.sdp4j.offload.contract.nio;

/** All that is known of {@code SocketChannel} and its {@code Socket}. */
public interface SocketChannelContract
        extends ConnectingContract,
                TransferContract,
                EndingContract,
                ResetContract,
                StreamingContract,
                PartialWriteContract,
                UnreadContract,
                UrgentChannelContract,
                SamenessContract {}
