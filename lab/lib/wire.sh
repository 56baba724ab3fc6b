# shellcheck shell=bash
# What a capture says, read after check.sh. Source of the options and filters: Wireshark takes SDP for other protocols
# unless those are switched off, and takes what RDMA moves for SDP, so only SENDs count.

wireshark=(tshark -n -2 -r "$work/wire.pcap")
for rival in rpcrdma_infiniband smcr_infiniband smb_direct_infiniband lnet_ib lnet_ib_cm_private iser_infiniband \
  iser_ib_private eth_over_ib fc_infiniband; do
  wireshark+=(--disable-heuristic "$rival")
done

# fields FILTER FIELD...: of the frames that the filter takes, separated by tabs.
fields() {
  local field options=(-Y "$1" -T fields)
  shift
  for field in "$@"; do options+=(-e "$field"); done
  "${wireshark[@]}" "${options[@]}" 2>"$work/tshark.log" || wrong "tshark: $(<"$work/tshark.log")"
}

frames() { fields "$1" frame.number | wc -l; }

# Bytes that TCP carried in the frames of a filter, sent again or not.
tcp_bytes() { fields "$1" tcp.len | awk '{ n += $1 } END { print n + 0 }'; }

# A line for each SDP message on the wire, MID and length, once however often it was sent: queue pair and sequence number
# tell. Over RoCE Wireshark's own SDP dissector reads it; the set-up's messages lie in the connection manager's. Over
# iWARP it knows no SDP: a message is what ends with a last segment of a SEND, its length is what DDP carried, its MID is
# not known. Of both kinds of SEND, 5 has the bit for solicited events.
sdp_messages() {
  if [ "$LAB_FABRIC" = rxe ]; then
    fields 'infiniband_sdp && infiniband.bth.opcode in {0,4,23}' infiniband.bth.destqp infiniband.bth.psn \
      infiniband_sdp.bsdh.mid infiniband_sdp.bsdh.len | awk '!seen[$1 " " $2]++ { print $3, $4 }'
  else
    # 18 bytes of each segment are headers of DDP and RDMAP.
    fields 'iwarp_rdma.opcode in {3,5} && !tcp.analysis.retransmission' tcp.stream tcp.srcport iwarp_mpa.ulpdulength \
      iwarp_ddp.last_flag |
      awk '{ from = $1 " " $2; n = split($3, len, ","); split($4, last, ",")
        for (i = 1; i <= n; i++) {
          sum[from] += len[i] - 18
          if (last[i] == 1 || last[i] == "True") { print "?", sum[from]; sum[from] = 0 }
        } }'
  fi
}

# Stream bytes in them: all but the header of 16 bytes.
sdp_payload() { sdp_messages | awk '$2 > 16 && ($1 == "0xff" || $1 == "?") { n += $2 - 16 } END { print n + 0 }'; }
