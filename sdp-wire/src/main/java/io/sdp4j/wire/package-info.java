/** SDP messages, coded in place, and the machine that decides what to send. */
package io.sdp4j.wire;
