/**
 * RC queue pairs as the field knows them, shaped so that real verbs, iWARP in user space and shared
 * memory can all implement them. Knows nothing of SDP and nothing of the JDK's sockets.
 */
package io.sdp4j.fabric;
