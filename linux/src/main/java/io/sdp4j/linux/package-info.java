/**
 * Linux underneath the fabrics: system calls, event loops, ways to wait, sockets, and memory that
 * processes share. Beside it only the fabric of RDMA devices makes native calls.
 */
package io.sdp4j.linux;
