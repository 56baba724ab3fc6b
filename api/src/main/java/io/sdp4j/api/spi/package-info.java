/** What the implementation of the API provides. */
@NullMarked
package io.sdp4j.api.spi;

import org.jspecify.annotations.NullMarked;
