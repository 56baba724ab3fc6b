/** {@code java.nio}'s asynchronous channels on top of the switch. */
package io.sdp4j.offload.aio;
