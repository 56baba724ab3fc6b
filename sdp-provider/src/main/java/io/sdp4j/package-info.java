/** The explicit API: sockets that are SDP or fail, and a way to stay on kernel TCP. */
package io.sdp4j;
