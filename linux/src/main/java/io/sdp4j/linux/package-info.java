/**
 * Linux underneath the fabrics: system calls, the two event loops, and the owner of a TCP port.
 * Beside it only the fabric of RDMA devices makes native calls.
 */
package io.sdp4j.linux;
