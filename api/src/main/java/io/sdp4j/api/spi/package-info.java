/** Between the API, its implementation and the agent. */
@NullMarked
package io.sdp4j.api.spi;

import org.jspecify.annotations.NullMarked;
