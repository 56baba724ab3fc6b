/**
 * Linux underneath the fabrics: system calls by FFM, the two event loops, and the owner of a TCP
 * port. The only place of the product with native calls.
 */
package io.sdp4j.linux;
