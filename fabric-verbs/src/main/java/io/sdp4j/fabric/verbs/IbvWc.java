package io.sdp4j.fabric.verbs;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.sdp4j.fabric.WcStatus;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;

/**
 * {@code struct ibv_wc}, one work completion: 48 bytes, host byte order. {@code opcode} and {@code
 * byte_len} mean nothing unless {@code status} is 0 (infiniband/verbs.h, rdma-core 44).
 */
final class IbvWc {
    static final StructLayout LAYOUT =
            CStruct.of(
                    "ibv_wc",
                    "wr_id 8 status 4 opcode 4 vendor_err 4 byte_len 4 imm_data 4 qp_num 4"
                            + " src_qp 4 wc_flags 4 pkey_index 2 slid 2 sl 1 dlid_path_bits 1");
    static final long BYTES = LAYOUT.byteSize();
    private static final long WR_ID = CStruct.offset(LAYOUT, "wr_id");
    private static final long STATUS = CStruct.offset(LAYOUT, "status");
    private static final long BYTE_LEN = CStruct.offset(LAYOUT, "byte_len");

    static final int SUCCESS = 0;
    static final int LOC_PROT_ERR = 4;
    static final int WR_FLUSH_ERR = 5;

    private IbvWc() {}

    static long wrId(MemorySegment wcs, int i) {
        return wcs.get(JAVA_LONG, i * BYTES + WR_ID);
    }

    static int status(MemorySegment wcs, int i) {
        return wcs.get(JAVA_INT, i * BYTES + STATUS);
    }

    static int byteLen(MemorySegment wcs, int i) {
        return wcs.get(JAVA_INT, i * BYTES + BYTE_LEN);
    }

    /** Translates {@code enum ibv_wc_status} for the users of a queue pair. */
    static WcStatus meaning(int status) {
        return switch (status) {
            case SUCCESS -> WcStatus.SUCCESS;
            case 1 -> WcStatus.LOC_LEN_ERR;
            case 2, LOC_PROT_ERR, 8 -> WcStatus.LOC_PROT_ERR;
            case WR_FLUSH_ERR -> WcStatus.WR_FLUSH_ERR;
            case 9 -> WcStatus.REM_INV_REQ_ERR;
            case 10 -> WcStatus.REM_ACCESS_ERR;
            case 11 -> WcStatus.REM_OP_ERR;
            case 12, 20 -> WcStatus.RESP_TIMEOUT_ERR;
            case 13 -> WcStatus.RNR_RETRY_EXC_ERR;
            default -> WcStatus.FATAL_ERR;
        };
    }
}
