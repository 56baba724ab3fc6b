/** Streams within one JVM, as the least that a protocol of a plug-in has to be. */
package io.sdp4j.sample.pipe;
