/** Queue pairs within one JVM, as the least that a fabric of a plug-in has to be. */
package io.sdp4j.sample.memory;
