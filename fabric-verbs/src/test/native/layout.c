/*
 * Says where the fields of the structs that the verbs fabric uses lie, for the compiler's target.
 *
 * Every line of the output comes from a constant that the compiler puts into its assembly, so the
 * program is compiled and never run: a cross compiler does as well as a native one. ./layout-table
 * turns the assembly into the committed tables.
 */
#include <stddef.h>
#include <netinet/in.h>
#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>

#define OUT(name, offset, size) \
    __asm__ volatile("\n@@ " name " %c0 %c1" : : "i"(offset), "i"(size))
#define STRUCT(s) OUT(#s, 0, sizeof(struct s))
#define FIELD(s, f) OUT(#s "." #f, offsetof(struct s, f), sizeof(((struct s *)0)->f))
#define AS(s, f, name) OUT(#s "." name, offsetof(struct s, f), sizeof(((struct s *)0)->f))

void table(void)
{
    STRUCT(ibv_context);
    FIELD(ibv_context, device); FIELD(ibv_context, ops); FIELD(ibv_context, ops.poll_cq);
    FIELD(ibv_context, ops.req_notify_cq); FIELD(ibv_context, ops.post_send);
    FIELD(ibv_context, ops.post_recv); FIELD(ibv_context, cmd_fd); FIELD(ibv_context, async_fd);
    FIELD(ibv_context, num_comp_vectors);

    STRUCT(ibv_device);
    FIELD(ibv_device, node_type); FIELD(ibv_device, transport_type); FIELD(ibv_device, name);

    STRUCT(ibv_qp);
    FIELD(ibv_qp, state);
    STRUCT(ibv_comp_channel);
    FIELD(ibv_comp_channel, context); FIELD(ibv_comp_channel, fd);
    FIELD(ibv_comp_channel, refcnt);

    STRUCT(ibv_mr);
    FIELD(ibv_mr, context); FIELD(ibv_mr, pd); FIELD(ibv_mr, addr); FIELD(ibv_mr, length);
    FIELD(ibv_mr, handle); FIELD(ibv_mr, lkey); FIELD(ibv_mr, rkey);

    STRUCT(ibv_sge);
    FIELD(ibv_sge, addr); FIELD(ibv_sge, length); FIELD(ibv_sge, lkey);

    STRUCT(ibv_send_wr);
    FIELD(ibv_send_wr, wr_id); FIELD(ibv_send_wr, next); FIELD(ibv_send_wr, sg_list);
    FIELD(ibv_send_wr, num_sge); FIELD(ibv_send_wr, opcode); FIELD(ibv_send_wr, send_flags);
    FIELD(ibv_send_wr, imm_data); FIELD(ibv_send_wr, wr); FIELD(ibv_send_wr, wr.rdma);
    FIELD(ibv_send_wr, wr.rdma.remote_addr); FIELD(ibv_send_wr, wr.rdma.rkey);

    STRUCT(ibv_recv_wr);
    FIELD(ibv_recv_wr, wr_id); FIELD(ibv_recv_wr, next); FIELD(ibv_recv_wr, sg_list);
    FIELD(ibv_recv_wr, num_sge);

    STRUCT(ibv_wc);
    FIELD(ibv_wc, wr_id); FIELD(ibv_wc, status); FIELD(ibv_wc, opcode);
    FIELD(ibv_wc, vendor_err); FIELD(ibv_wc, byte_len); FIELD(ibv_wc, imm_data);
    FIELD(ibv_wc, qp_num); FIELD(ibv_wc, src_qp); FIELD(ibv_wc, wc_flags);
    FIELD(ibv_wc, pkey_index); FIELD(ibv_wc, slid); FIELD(ibv_wc, sl);
    FIELD(ibv_wc, dlid_path_bits);

    STRUCT(ibv_qp_init_attr);
    FIELD(ibv_qp_init_attr, qp_context); FIELD(ibv_qp_init_attr, send_cq);
    FIELD(ibv_qp_init_attr, recv_cq); FIELD(ibv_qp_init_attr, srq);
    FIELD(ibv_qp_init_attr, cap); FIELD(ibv_qp_init_attr, cap.max_send_wr);
    FIELD(ibv_qp_init_attr, cap.max_recv_wr); FIELD(ibv_qp_init_attr, cap.max_send_sge);
    FIELD(ibv_qp_init_attr, cap.max_recv_sge); FIELD(ibv_qp_init_attr, cap.max_inline_data);
    FIELD(ibv_qp_init_attr, qp_type); FIELD(ibv_qp_init_attr, sq_sig_all);

    STRUCT(ibv_device_attr);
    FIELD(ibv_device_attr, fw_ver); FIELD(ibv_device_attr, node_guid);
    FIELD(ibv_device_attr, sys_image_guid); FIELD(ibv_device_attr, max_mr_size);
    FIELD(ibv_device_attr, page_size_cap); FIELD(ibv_device_attr, vendor_id);
    FIELD(ibv_device_attr, vendor_part_id); FIELD(ibv_device_attr, hw_ver);
    FIELD(ibv_device_attr, max_qp); FIELD(ibv_device_attr, max_qp_wr);
    FIELD(ibv_device_attr, device_cap_flags); FIELD(ibv_device_attr, max_sge);
    FIELD(ibv_device_attr, max_sge_rd); FIELD(ibv_device_attr, max_cq);
    FIELD(ibv_device_attr, max_cqe); FIELD(ibv_device_attr, max_mr);
    FIELD(ibv_device_attr, max_pd); FIELD(ibv_device_attr, max_qp_rd_atom);
    FIELD(ibv_device_attr, max_ee_rd_atom); FIELD(ibv_device_attr, max_res_rd_atom);
    FIELD(ibv_device_attr, max_qp_init_rd_atom); FIELD(ibv_device_attr, max_pkeys);
    FIELD(ibv_device_attr, local_ca_ack_delay); FIELD(ibv_device_attr, phys_port_cnt);

    STRUCT(ibv_async_event);
    FIELD(ibv_async_event, event_type);
    AS(ibv_async_event, element.qp, "element");

    STRUCT(rdma_event_channel);
    FIELD(rdma_event_channel, fd);

    STRUCT(rdma_cm_id);
    FIELD(rdma_cm_id, verbs); FIELD(rdma_cm_id, channel); FIELD(rdma_cm_id, context);
    FIELD(rdma_cm_id, qp); FIELD(rdma_cm_id, route); FIELD(rdma_cm_id, route.addr);
    FIELD(rdma_cm_id, route.addr.src_storage); FIELD(rdma_cm_id, route.addr.dst_storage);
    FIELD(rdma_cm_id, route.path_rec); FIELD(rdma_cm_id, route.num_paths);
    FIELD(rdma_cm_id, ps); FIELD(rdma_cm_id, port_num);

    STRUCT(rdma_conn_param);
    FIELD(rdma_conn_param, private_data); FIELD(rdma_conn_param, private_data_len);
    FIELD(rdma_conn_param, responder_resources); FIELD(rdma_conn_param, initiator_depth);
    FIELD(rdma_conn_param, flow_control); FIELD(rdma_conn_param, retry_count);
    FIELD(rdma_conn_param, rnr_retry_count); FIELD(rdma_conn_param, srq);
    FIELD(rdma_conn_param, qp_num);

    STRUCT(rdma_cm_event);
    FIELD(rdma_cm_event, id); FIELD(rdma_cm_event, listen_id); FIELD(rdma_cm_event, event);
    FIELD(rdma_cm_event, status); FIELD(rdma_cm_event, param); FIELD(rdma_cm_event, param.conn);
    FIELD(rdma_cm_event, param.conn.private_data);
    FIELD(rdma_cm_event, param.conn.private_data_len);
    FIELD(rdma_cm_event, param.conn.responder_resources);
    FIELD(rdma_cm_event, param.conn.initiator_depth);
    FIELD(rdma_cm_event, param.conn.flow_control);
    FIELD(rdma_cm_event, param.conn.retry_count);
    FIELD(rdma_cm_event, param.conn.rnr_retry_count);
    FIELD(rdma_cm_event, param.conn.srq); FIELD(rdma_cm_event, param.conn.qp_num);

    STRUCT(sockaddr_in);
    FIELD(sockaddr_in, sin_family); FIELD(sockaddr_in, sin_port); FIELD(sockaddr_in, sin_addr);

    STRUCT(sockaddr_in6);
    FIELD(sockaddr_in6, sin6_family); FIELD(sockaddr_in6, sin6_port);
    FIELD(sockaddr_in6, sin6_flowinfo); FIELD(sockaddr_in6, sin6_addr);
    FIELD(sockaddr_in6, sin6_scope_id);
}
