# Applied to drivers/infiniband/sw/siw/siw_cm.c. siw_accept() sends the MPA reply and only then has the socket tell the
# queue pair of what arrives, against what the comment above it says. The client's first message may come in between, as
# it does now and then on a busy machine: nobody reads it, and where the client waits for an answer nothing moves again.
/^int siw_accept(/,/^}/s/^\trv = siw_send_mpareqrep(/\tif (!wait_for_peer_rts)\n\t\tsiw_qp_socket_assoc(cep, qp);\n&/
