/**
 * Real RDMA: librdmacm and libibverbs through the foreign function interface, one class for each C
 * struct, nothing compiled.
 */
package io.sdp4j.fabric.verbs;
