/** {@code java.net} on top of the switch: socket implementations and their factories. */
package io.sdp4j.offload.net;
