/** RC queue pairs between JVMs of one host, over shared memory. */
package io.sdp4j.rdma.shm;
